export type Listener<S> = (state: S) => void

export interface Store<S> {
  getState(): S
  readonly listeners: Set<Listener<S>>
}

// Makes a store.
export function createStore<S>(initial: S): Store<S> {
  let state = initial
  const listeners = new Set<Listener<S>>()
  function notify() {
    listeners.forEach((listener) => listener(state))
  }
  return { getState: () => state, listeners }
}

export const selectors = {
  byId: (id: string) => id,
  all() { return [] },
}

export abstract class Repository<T extends { id: string }> {
  protected constructor(protected items: Map<string, T> = new Map()) {}
  abstract find(id: string): T | undefined
  save = async (item: T): Promise<void> => { this.items.set(item.id, item) }
}

export { createStore as default }
