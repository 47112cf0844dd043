import type { Sealer } from '../../records/port.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import { placeOf, secretNamePattern, secrets } from './secret-rows.ts';
import type { SecretVaultDeps } from './secret-vault.ts';

/** Opens secrets for what the platform itself sends and checks. No handler of a request has one. */
export interface SecretReader {
  /** As it is stored now; undefined where there is none of the name. */
  open(env: Environment, orgCode: string, name: string): Promise<OpenedSecret | undefined>;
}

export interface OpenedSecret {
  readonly value: string;
  /** Where it may be sent. */
  readonly hosts: readonly string[];
}

export interface SecretReaderDeps extends Pick<SecretVaultDeps, 'stores'> {
  readonly sealer: Pick<Sealer, 'open'>;
}

export function createSecretReader({ stores, sealer }: SecretReaderDeps): SecretReader {
  return {
    open: async (env, orgCode, name) => {
      if (!secretNamePattern.test(name)) return undefined;
      const scope = stores[env].scope(orgScopeName(orgCode));
      const row = await secrets.read(scope, name);
      if (row === undefined) return undefined;
      const { sealed, hosts } = row.value;
      return { value: sealer.open(sealed, placeOf(scope, name)), hosts };
    },
  };
}
