import { createPasswordHasher, type PasswordCost, type PasswordHasher } from '../realm/passwords.ts';

/** The least that Argon2 takes: for tests that are not about what a guess costs. */
export const fastPasswordCost: PasswordCost = { memoryKibibytes: 8, passes: 1, parallelism: 1 };

export function createFastHasher(): PasswordHasher {
  return createPasswordHasher({}, fastPasswordCost);
}
