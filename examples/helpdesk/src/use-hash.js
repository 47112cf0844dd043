import { useSyncExternalStore } from 'react';
/** Where the user is: the part of the address after `#`. */
export function useHash() {
    const hash = useSyncExternalStore(subscribe, () => location.hash);
    const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
    return { path: path.split('/').filter((part) => part !== ''), query: new URLSearchParams(query) };
}
/** The address of the list of tickets with these filters; those without a value are left out. */
export function listHash(filters) {
    const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''));
    return query.size === 0 ? '#/' : `#/?${query}`;
}
function subscribe(listener) {
    addEventListener('hashchange', listener);
    return () => removeEventListener('hashchange', listener);
}
