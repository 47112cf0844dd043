import { randomUUID } from 'node:crypto';
import type { Key, Scope } from '../../store/port.ts';
import { tryCommit } from '../../store/transact.ts';

const issuerKey: Key = { pk: 'platform', sk: 'issuer' };

/** The `iss` of every app token: fixed at first start, so that tokens outlive a change of address or node. */
export async function platformIssuer(platform: Scope, publicUrl: string | undefined): Promise<string> {
  for (;;) {
    const [item] = await platform.get([issuerKey]);
    if (item !== undefined) return item.value;
    const value = publicUrl ?? `urn:uuid:${randomUUID()}`;
    await tryCommit(platform, [{ kind: 'put', ...issuerKey, value, if: 'absent' }]);
  }
}
