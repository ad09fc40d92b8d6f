#include <stdio.h>
#define MAX 3

struct node { int value; struct node *next; };
typedef struct { int size; } list_t;
enum color { RED, GREEN };

static int count = MAX;
int later(int count);

int run(struct node *node, list_t *list, int (*callback)(int value), int sizes[MAX]) {
  int value = node->value, *pointer = &value;
  int count = count + list->size;
  for (int i = 0; i < count; i++) {
    int value = i;
    callback(value);
  }
  struct node copy = {.value = value, .next = node};
  if (count > RED) goto done;
  {
    int inner = sizes[count];
    later(inner);
  }
done:
  return later(count) + copy.value + *pointer;
}

int later(int count) { return count + GREEN; }
