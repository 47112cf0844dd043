import { useSyncExternalStore } from 'react';

interface HashLocation {
  /** The parts of the path, as `['tickets', '17']`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** Where the user is: the part of the address after `#`. */
export function useHash(): HashLocation {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  return { path: path.split('/').filter((part) => part !== ''), query: new URLSearchParams(query) };
}

/** The address of the list of tickets with these filters; those without a value are left out. */
export function listHash(filters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''));
  return query.size === 0 ? '#/' : `#/?${query}`;
}

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}
