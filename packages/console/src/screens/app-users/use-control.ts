import { useMutation } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { usePlace } from '../../api/session.ts';
import { readAppUsersAgain } from './queries.ts';

/** Disables and enables an account, and ends its tokens. */
export function useControl(id: string, onDone: () => void) {
  const { env } = usePlace();
  const onSuccess = async (): Promise<void> => {
    onDone();
    await readAppUsersAgain();
  };
  const disable = useMutation({
    mutationFn: (reason: string) => call('disableAppUser', { params: { id }, body: { env, reason } }),
    onSuccess,
  });
  const enable = useMutation({
    mutationFn: (reason: string) =>
      call('enableAppUser', { params: { id }, body: { env, ...(reason === '' ? {} : { reason }) } }),
    onSuccess,
  });
  const revokeTokens = useMutation({
    mutationFn: () => call('revokeAppUserTokens', { params: { id }, body: { env } }),
    onSuccess,
  });
  return { disable, enable, revokeTokens };
}
