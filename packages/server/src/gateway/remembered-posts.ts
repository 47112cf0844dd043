/** Which POST routes count once under an `Idempotency-Key`. Whatever is not named here does. */

/** Their handlers keep the answer in the very commit that it speaks of. */
export const rememberedByHandler: readonly string[] = ['/api/:apiname', '/app/:org/create/:entity', '/app/:org/batch'];

const givesToken = 'gives a token, which is never stored; every call may give another';
const oneCode = 'takes a code that is good once, so a repetition is refused';
const changesNothing = 'changes nothing';
const nobodyKnown =
  'mails to an address, for a caller who is not known, and not more often than the mail throttle lets it';

/** Why the other POST routes take no notice of the header. */
export const notRemembered: Readonly<Record<string, string>> = {
  '/auth/signup': 'gives a token, and an address is taken once',
  '/auth/login': givesToken,
  '/auth/accept-invitation': oneCode,
  '/auth/switch-org': givesToken,
  '/auth/logout': 'ends the session that a repetition would need',
  '/auth/password': 'gives a token, and asks for the password that was',
  '/auth/forgot-password': nobodyKnown,
  '/auth/reset-password': oneCode,
  '/org/impersonate': givesToken,
  '/acl/simulate': changesNothing,
  '/acl/lint': changesNothing,
  '/deploy/import': 'takes a stream; its `base` makes it once, since it names what stood before',
  '/app/:org/login': givesToken,
  '/app/:org/password/forgot': nobodyKnown,
  '/app/:org/password/reset': oneCode,
  '/app/:org/verify-email': oneCode,
  '/app/:org/user/password': 'asks for the password that was, so a repetition is refused',
  '/app/:org/user/logout': 'ends the tokens that a repetition would need',
  '/app/:org/access/v1/evaluation': changesNothing,
  '/app/:org/access/v1/evaluations': changesNothing,
  '/app/:org/import/:entity': 'is refused with the header: `upsert` lets it be repeated',
};

/** Whether the gateway remembers the answer of a route. */
export function isRemembered({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method === 'POST' && !rememberedByHandler.includes(path) && !Object.hasOwn(notRemembered, path);
}
