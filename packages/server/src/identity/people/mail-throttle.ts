import type { Clock } from '../../lib/clock.ts';
import { networkKey } from '../../lib/network/network-key.ts';
import { createThrottle, rateLimited } from '../../lib/throttle.ts';
import type { CodePurpose } from './mailed-codes.ts';

/** What a mail is asked for: the address that it would go to, known or not, and where the asking comes from. */
export interface MailRequest {
  readonly purpose: CodePurpose | 'invitation' | 'test';
  /** The canonical address (`emailKey`), of one app where it is an app's. */
  readonly emailKey: string;
  /** Left out where who asks is known and has bounds of his own. */
  readonly ip?: string;
}

/**
 * Keeps anybody from having many mails sent: 3 to one address and 20 asked for from one network in 15 minutes, for
 * each purpose. It looks at nothing but the request, so that it tells nothing of an account.
 */
export interface MailThrottle {
  /** Counts a request. @throws Problem `rate_limited` with `retry_after_seconds`. */
  take(request: MailRequest): void;
  /** The same for a mail that the caller did not request by itself; false if it must not be sent. */
  tryTake(request: MailRequest): boolean;
}

const limits = { address: 3, network: 20 };

export function createMailThrottle({ clock }: { readonly clock: Clock }): MailThrottle {
  const requests = createThrottle({ clock, limits });
  /** For how many milliseconds the request has to wait; it counts where that is not at all. */
  const waitOf = ({ purpose, emailKey, ip }: MailRequest): number => {
    const network = ip === undefined ? {} : { network: `${purpose} ${networkKey(ip)}` };
    const keys = { address: `${purpose} ${emailKey}`, ...network };
    const wait = requests.wait(keys);
    if (wait === 0) requests.record(keys);
    return wait;
  };
  return {
    take: (request) => {
      const wait = waitOf(request);
      if (wait > 0) throw rateLimited('too many mails were requested', wait);
    },
    tryTake: (request) => waitOf(request) === 0,
  };
}
