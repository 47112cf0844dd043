import type { managementApi } from '@freehold/contract/management';
import type { ReplyOf } from '@freehold/contract/route';
import { Anchor, Text } from '@mantine/core';
import { call } from '../../api/call.ts';
import { ApiProblem } from '../../api/problem.ts';
import { CodesLocked, FactorForm } from './factor-form.tsx';
import { asCookie } from './session-started.ts';

type Answer = ReplyOf<(typeof managementApi)['logIn']>;
export type SignInStep = Extract<Answer, { readonly second_factor: unknown }>['second_factor'];

interface Props {
  readonly step: SignInStep;
  readonly onSignedIn: (org: string) => Promise<void> | void;
  /** Begins the sign-in again. */
  readonly onOver: () => void;
}

/** The second half of a sign-in whose account has a second factor. */
export function FactorStep({ step, onSignedIn, onOver }: Props) {
  const { token, methods, passkey, codes_locked } = step;
  return (
    <>
      <Text size="sm">Your account has a second factor. Prove it to go on.</Text>
      {codes_locked === true && <CodesLocked />}
      <FactorForm
        methods={methods}
        submit="Go on"
        passkeyOptions={async () => {
          if (passkey === undefined) throw new ApiProblem(undefined, 'passkeys cannot be used here');
          return passkey;
        }}
        onProof={async (proof) => {
          const { org } = await call('completeSignIn', {
            body: { token, ...proof },
            headers: asCookie,
            mayBeSignedOut: true,
          });
          await onSignedIn(org.code);
        }}
      />
      <Anchor component="button" type="button" size="sm" onClick={onOver}>
        Begin again
      </Anchor>
    </>
  );
}
