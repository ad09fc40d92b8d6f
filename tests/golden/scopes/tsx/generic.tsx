export const List = <T extends Item>(props: { items: T[] }) => (
  <ul>{props.items.map((item) => <Row<T> item={item} />)}</ul>
)
