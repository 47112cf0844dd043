import { useParams } from '@tanstack/react-router';
import { useEffect, useSyncExternalStore } from 'react';
import { keyHolder } from './operate.ts';
import { OperationsFrame } from './operations-frame.tsx';
import { Unlock } from './unlock.tsx';

/** The area of who runs the platform, behind the operator key. */
export function Operations() {
  const { isUnlocked, why } = useSyncExternalStore(keyHolder.subscribe, keyHolder.state);
  const { screen, item } = useParams({ from: '/operations/{-$screen}/{-$item}' });
  useEffect(() => watchUse(), []);
  return isUnlocked ? <OperationsFrame screen={screen} item={item} /> : <Unlock why={why} />;
}

/** What a person does on the page is use. The page that is left, also for another part of the console, holds no key. */
function watchUse(): () => void {
  const leaving = new AbortController();
  const on = (target: EventTarget, names: readonly string[], listener: () => void) => {
    for (const name of names)
      target.addEventListener(name, listener, { capture: true, passive: true, signal: leaving.signal });
  };
  on(window, ['pointerdown', 'keydown', 'wheel', 'touchmove'], keyHolder.touch);
  on(window, ['pagehide'], () => keyHolder.lock());
  // A page that was hidden for long had slow timers.
  on(document, ['visibilitychange'], () => void keyHolder.authorization());
  return () => {
    leaving.abort();
    keyHolder.lock();
  };
}
