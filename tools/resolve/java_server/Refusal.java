/** A request that cannot be answered, with the reason for people. */
final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1;

  Refusal(String reason) {
    super(reason);
  }
}
