import { parseSecrets, type Secrets, type SecretsVault } from '../secrets.ts';

/** Secrets that end with the process. What is written is kept as text, as every other vault does. */
export function createSecretsInMemory(secrets: Partial<Secrets> = {}): SecretsVault {
  let text = JSON.stringify(secrets);
  return {
    read: async () => ({ secrets: parseSecrets(text), version: text }),
    write: async (next, seen) => {
      if (seen.version !== text) return false;
      text = JSON.stringify(next);
      return true;
    },
  };
}
