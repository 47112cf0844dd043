/** What an org automates. So far: the secrets that its configuration will use with other systems. */
export { createSecretVault, type SecretCommand, type SecretVault } from './vault/secret-vault.ts';
