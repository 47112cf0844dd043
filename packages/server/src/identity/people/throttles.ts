import type { Clock } from '../../lib/clock.ts';
import { createLoginThrottle, type LoginThrottle } from './login-throttle.ts';
import { createMailThrottle, type MailThrottle } from './mail-throttle.ts';

/** All that is counted of strangers, each apart: failures at one door must not close another. */
export interface Throttles {
  readonly logins: Readonly<Record<LoginDoor, LoginThrottle>>;
  readonly mails: MailThrottle;
}

export const loginDoors = ['app', 'org', 'operator'] as const;
export type LoginDoor = (typeof loginDoors)[number];

export function createThrottles(clock: Clock): Throttles {
  const login = () => createLoginThrottle({ clock });
  return { logins: { app: login(), org: login(), operator: login() }, mails: createMailThrottle({ clock }) };
}
