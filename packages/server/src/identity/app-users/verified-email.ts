import type { Key } from '../../store/port.ts';
import { emailKey } from '../people/email.ts';

/** Which account has proved that the address is its own. */
export function verifiedEmailKey(email: string): Key {
  return { pk: 'verified-email', sk: emailKey(email) };
}
