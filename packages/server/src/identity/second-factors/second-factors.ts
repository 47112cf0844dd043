import type { OrgAccountsDeps, OrgUserCommand } from '../org-users/account.ts';
import {
  type CompletedSignIn,
  completeSignIn,
  type PasskeySignIn,
  type SignInSource,
  signInByPasskey,
} from './finish-sign-in.ts';
import {
  changeOrgSecurity,
  type OperatorReset,
  type OrgSecurity,
  resetFactors,
  resetFactorsByOperator,
} from './org-security.ts';
import {
  addPasskey,
  beginPasskey,
  beginTotp,
  confirmTotp,
  factorChallenge,
  listFactors,
  type NewFactor,
  type OwnProof,
  type OwnRequest,
  removeFactor,
  renamePasskey,
  renewRecoveryCodes,
} from './own-factors.ts';
import { type NewPasskey, type PasskeySite, passkeyRequest, requireSite } from './passkeys.ts';

export type SecondFactors = ReturnType<typeof createSecondFactors>;

/** What builders prove beside the password: codes of an authenticator app, passkeys, and recovery codes for when both are lost. */
export function createSecondFactors(deps: OrgAccountsDeps) {
  return {
    completeSignIn: (body: CompletedSignIn, source: SignInSource) => completeSignIn(deps, body, source),
    /** @throws Problem `not_found` where there is no site. */
    passkeyChallenge: (site: PasskeySite | undefined) =>
      passkeyRequest(deps.steps.make({ purpose: 'passkey sign-in' }).token, requireSite(site)),
    signInByPasskey: (body: PasskeySignIn, source: SignInSource) => signInByPasskey(deps, body, source),
    list: (request: OwnRequest) => listFactors(deps, request),
    challenge: (request: OwnRequest) => factorChallenge(deps, request),
    beginTotp: (request: OwnRequest, proof: OwnProof) => beginTotp(deps, request, proof),
    confirmTotp: (request: OwnRequest, body: NewFactor) => confirmTotp(deps, request, body),
    beginPasskey: (request: OwnRequest, proof: OwnProof) => beginPasskey(deps, request, proof),
    addPasskey: (request: OwnRequest, body: NewPasskey) => addPasskey(deps, request, body),
    renamePasskey: (request: OwnRequest, change: { readonly id: string; readonly name: string }) =>
      renamePasskey(deps, request, change),
    remove: (request: OwnRequest, removal: { readonly id: string; readonly proof: OwnProof }) =>
      removeFactor(deps, request, removal),
    renewRecoveryCodes: (request: OwnRequest, proof: OwnProof) => renewRecoveryCodes(deps, request, proof),
    changeOrgSecurity: (request: Pick<OwnRequest, 'caller' | 'auditContext'>, security: OrgSecurity) =>
      changeOrgSecurity(deps, request, security),
    /** @throws Problem `not_found`, `conflict`. */
    reset: (command: OrgUserCommand) => resetFactors(deps, command),
    /** @throws Problem `not_found`, `conflict`. */
    resetByOperator: (reset: OperatorReset) => resetFactorsByOperator(deps, reset),
  };
}
