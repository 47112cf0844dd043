import { Anchor, Container } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { EmptyState } from './empty-state.tsx';

export function NotFound() {
  return (
    <Container size="sm" py="xl">
      <EmptyState
        title="There is nothing here"
        action={
          <Anchor component={Link} to="/">
            Go to your org
          </Anchor>
        }
      >
        The address leads to no screen, or to an org that you are not a member of.
      </EmptyState>
    </Container>
  );
}
