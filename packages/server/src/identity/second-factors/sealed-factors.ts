import type { Sealer } from '../../records/port.ts';
import type { Key, Scope } from '../../store/port.ts';
import { eachItem } from '../../store/walk.ts';
import { totpPlace } from './prove-factor.ts';
import { storedFactors } from './stored-factors.ts';

export interface SealedFactors {
  /** How many accounts have a secret of an authenticator app. */
  readonly sealed: number;
  /** The first of the rows whose secrets do not open. */
  readonly unopened: readonly Key[];
  readonly unopenedCount: number;
}

const rowsPerRead = 200;
const listedMax = 1000;

/** Opens each secret of an authenticator app, confirmed or not, and shows none. */
export async function openSealedFactors(platform: Scope, sealer: Pick<Sealer, 'open'>): Promise<SealedFactors> {
  const unopened: Key[] = [];
  let sealed = 0;
  let unopenedCount = 0;
  for await (const item of eachItem(platform, storedFactors.key('').pk, rowsPerRead)) {
    const { totp, pending_totp } = storedFactors.row(platform, item).value;
    const secrets = [totp, pending_totp].flatMap((one) => (one === undefined ? [] : [one.sealed]));
    if (secrets.length > 0) sealed += 1;
    if (secrets.every((secret) => opens(sealer, secret, item.sk))) continue;
    unopenedCount += 1;
    if (unopened.length < listedMax) unopened.push({ pk: item.pk, sk: item.sk });
  }
  return { sealed, unopened, unopenedCount };
}

function opens(sealer: Pick<Sealer, 'open'>, sealed: string, userId: string): boolean {
  try {
    sealer.open(sealed, totpPlace(userId));
    return true;
  } catch {
    return false;
  }
}
