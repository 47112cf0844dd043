import { type RefObject, useEffect, useRef } from 'react';

/**
 * Gives the focus to the alert of a refused save, and so brings it into sight, each time that a save is refused.
 * @param refusal undefined or null where nothing is refused.
 */
export function useFocusOnRefusal(refusal: unknown): RefObject<HTMLDivElement | null> {
  const alert = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (refusal !== undefined && refusal !== null) alert.current?.focus();
  }, [refusal]);
  return alert;
}
