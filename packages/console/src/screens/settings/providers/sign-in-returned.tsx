import { Alert } from '@mantine/core';
import { AccountPage } from '../../accounts/account-page.tsx';

/** Where a provider leads back to. What belongs to a sign-in that this browser began goes on to its result. */
export function SignInReturned() {
  return (
    <AccountPage title="Test of a sign-in">
      <Alert color="red">
        This browser has begun no such sign-in, or it was finished already, or it began more than ten minutes ago. Begin
        the test again on the page of the sign-in providers.
      </Alert>
    </AccountPage>
  );
}
