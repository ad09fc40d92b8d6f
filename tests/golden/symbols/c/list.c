/* A list of numbers. */
#include <stdio.h>
#include "list.h"

#define LIST_MAX 16
/* The larger of two. */
#define MAX(a, b) ((a) > (b) ? (a) : (b))

struct node;

typedef struct node node_t;

/* One element. */
struct node {
  int value, *shared;
  struct node *next;
  unsigned flags : 3;
  void (*release)(struct node *self);
  struct {
    int x, y;
  } place;
};

typedef struct {
  node_t *head;
  size_t size;
} list_t;

typedef enum { RED, GREEN = 2, BLUE } color_t;

enum mode { MODE_READ, MODE_WRITE };

union number {
  int i;
  double d;
};

typedef int (*compare_fn)(const void *, const void *);
typedef int callback_fn(int);
typedef unsigned long ulong_t, *ulong_ptr;

extern int list_count;
int list_count = 0;
static const char *const names[] = {"red", "green"};
static int (*current)(int);
int first = 1, *second, third[3];

int list_push(list_t *list, int value);
static inline node_t *node_new(int value);

// Makes an element.
// Never fails.
static node_t *node_new(int value) {
  static int calls;
  node_t *node = malloc(sizeof *node);
  calls++;
  return node;
}

int list_push(list_t *list, int value) {
  struct local {
    int inner;
  };
  node_t *node = node_new(value);
  return list->size++;
}

const char **list_names(void) { return names; }

int (*chooser(int which))(int) { return current; }

int main(int argc, char **argv) { return 0; } /* the end */
int after_comment;
