#ifndef CONFIG_H
#define CONFIG_H

#ifdef __cplusplus
extern "C" {
#endif

#define API __attribute__((visibility("default")))

typedef struct config config;
struct config_entry;

enum config_error { CONFIG_OK = 0, CONFIG_MISSING };

/** Reads a file. NULL on error. */
API config *config_read(const char *path);
void config_free(config *self);
const char *config_get(const config *self, const char *key), *config_last(void);
typedef void (*config_visitor)(const char *key, void *data);
int config_each(config *self, config_visitor visit, void *data);

static inline int config_ok(const config *self) {
  return self != 0;
}

#ifdef _WIN32
int config_registry(void);
#else
int config_home(void);
#endif

#ifdef __cplusplus
}
#endif
#endif
