import { Button, Checkbox, CopyButton, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ReasonedButton } from '../../../components/reasoned-button.tsx';

interface Props {
  readonly codes: readonly string[];
  readonly onKept: () => void;
}

/** Shows recovery codes, this once. */
export function RecoveryCodes({ codes, onKept }: Props) {
  const [isKept, setIsKept] = useState(false);
  const text = `${codes.join('\n')}\n`;
  const save = () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    link.download = 'freehold-recovery-codes.txt';
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <Stack gap="sm">
      <Text size="sm">
        These codes sign you in when you have lost your second factors. Each works once. They are shown this once: keep
        them where you do not keep your password.
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={4} component="ul" data-testid="recovery-codes" m={0} p={0}>
        {codes.map((code) => (
          <Text key={code} component="li" size="sm" ff="monospace" style={{ listStyle: 'none' }}>
            {code}
          </Text>
        ))}
      </SimpleGrid>
      <Group gap="xs">
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button variant="default" size="compact-sm" onClick={copy}>
              {copied ? 'Copied' : 'Copy all'}
            </Button>
          )}
        </CopyButton>
        <Button variant="default" size="compact-sm" onClick={save}>
          Save as a file
        </Button>
      </Group>
      <Checkbox
        label="I have kept these codes"
        checked={isKept}
        onChange={({ currentTarget }) => setIsKept(currentTarget.checked)}
      />
      <Group justify="flex-end">
        <ReasonedButton
          reason={isKept ? undefined : 'Keep the codes first: they are not shown again.'}
          onClick={onKept}
        >
          Done
        </ReasonedButton>
      </Group>
    </Stack>
  );
}
