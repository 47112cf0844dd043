import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { usePlace } from '../../api/session.ts';
import { TypedConfirmation } from '../../components/typed-confirmation.tsx';
import { readSecretsAgain, type Secret } from './queries.ts';
import { Uses } from './uses.tsx';

interface Props {
  readonly secret: Secret;
  readonly close: () => void;
}

/** Removes a secret once its name is typed, and says what needs it. */
export function RemoveSecret({ secret, close }: Props) {
  const { env } = usePlace();
  const { name, referenced_by: references = [] } = secret;
  const remove = useMutation({
    mutationFn: () => call('removeSecret', { params: { name }, query: { env } }),
    onSuccess: async () => {
      await readSecretsAgain();
      close();
    },
  });
  return (
    <TypedConfirmation
      title={`Remove the secret ${name}?`}
      name={name}
      what="secret"
      action="Remove the secret"
      work={remove}
      onClose={close}
    >
      {references.length === 0 ? (
        <Text size="sm">No live logic block of this environment refers to it.</Text>
      ) : (
        <div>
          <Text size="sm">Steps that send it fail from then on, and hooks refuse messages that it signs:</Text>
          <Uses secret={secret} />
        </div>
      )}
      <Text size="sm">Its value is gone: the platform keeps no copy.</Text>
    </TypedConfirmation>
  );
}
