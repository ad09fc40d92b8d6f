interface Context<T> { value: T }

export function useThing<T,>(initial: T): Context<T> {
  const value = initial
  return { value }
}

export const List = <T extends { id: string }>(props: { items: T[] }) => (
  <ul>{props.items.map((item) => <li key={item.id} />)}</ul>
)

export enum Mode { Light, Dark }
