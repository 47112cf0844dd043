import { useEffect } from 'react';

/** Gives the focus back to where it was before, for a dialog that is mounted only while it is open. */
export function useFocusBack(): void {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      if (before instanceof HTMLElement) setTimeout(() => before.focus({ preventScroll: true }));
    };
  }, []);
}
