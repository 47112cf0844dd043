import { randomUUID } from 'node:crypto';
import { Conflict, type Key, type Scope } from '../../store/port.ts';

const issuerKey: Key = { pk: 'platform', sk: 'issuer' };

/** The `iss` of every app token: fixed at first start, so that tokens outlive a change of address or node. */
export async function platformIssuer(platform: Scope, publicUrl: string | undefined): Promise<string> {
  for (;;) {
    const [item] = await platform.get([issuerKey]);
    if (item !== undefined) return item.value;
    const value = publicUrl ?? `urn:uuid:${randomUUID()}`;
    try {
      await platform.commit([{ kind: 'put', ...issuerKey, value, if: 'absent' }]);
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
    }
  }
}
