class Account
{
    public decimal Balance { get; private set; }

    public (decimal Balance, Account Owner) Summary() => (Balance, this);

    public object Named() => (Balance: Balance, Owner: this);

    public object Anonymous() => new { Balance = Balance, Twice = Balance * 2, this.Balance };

    public object Short() => new { Balance };

    public void Use() => Take(Balance: Balance);

    private void Take(decimal Balance) { }
}
