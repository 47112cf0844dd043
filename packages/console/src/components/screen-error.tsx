import { Button, Container, Group, Stack } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { ProblemAlert } from './problem-alert.tsx';

/** In place of a screen that failed; the rest of the console goes on. */
export function ScreenError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <Container size="sm" py="xl">
      <Stack>
        <ProblemAlert error={error} />
        <Group>
          <Button
            variant="default"
            onClick={() => {
              reset();
              void router.invalidate();
            }}
          >
            Try again
          </Button>
        </Group>
      </Stack>
    </Container>
  );
}
