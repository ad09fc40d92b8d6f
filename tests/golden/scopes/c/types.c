typedef int number;
typedef number (*mapper)(number);
extern number total, *totals;

number apply(mapper map, number number_) {
  extern int total;
  number total_ = map(number_);
  return total + total_ + (number)totals[0];
}

struct pair { number left, right[2]; } pair;

int main(void) {
  struct pair pair = {1};
  return sizeof(struct pair) + pair.left;
}
