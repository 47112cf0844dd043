import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { TypedConfirmation } from '../../../components/typed-confirmation.tsx';
import { operate } from '../operate.ts';
import { type SigningKey, signingKeysQuery } from './queries.ts';
import { revocationSentences } from './words.ts';

interface Props {
  readonly signingKey: SigningKey;
  readonly keys: readonly SigningKey[];
  readonly onClose: () => void;
}

export function RevokeKey({ signingKey, keys, onClose }: Props) {
  const client = useQueryClient();
  const { kid } = signingKey;
  const revoke = useMutation({
    mutationFn: () => operate('revokeSigningKey', { params: { kid } }),
    onSuccess: async () => {
      onClose();
      await client.invalidateQueries(signingKeysQuery);
    },
  });
  return (
    <TypedConfirmation
      title={`Revoke the signing key ${kid}`}
      name={kid}
      what="key"
      action="Revoke the key"
      work={{ ...revoke, mutate: () => revoke.mutate() }}
      onClose={onClose}
    >
      {revocationSentences(signingKey, keys).map((sentence) => (
        <Text key={sentence} size="sm">
          {sentence}
        </Text>
      ))}
      <Text size="sm">A revoked key cannot be brought back.</Text>
    </TypedConfirmation>
  );
}
