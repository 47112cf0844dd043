import { Container, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import logo from '../../logo.svg';

interface Props {
  readonly title: string;
  readonly intro?: ReactNode;
  /** Links to the neighbouring pages. */
  readonly footer?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of the pages that come before the console. */
export function AccountPage({ title, intro, footer, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Freehold`;
  }, [title]);
  return (
    <Container component="main" size={420} py={{ base: 'xl', sm: 64 }}>
      <Stack gap="lg">
        <Group gap="xs" justify="center">
          <img src={logo} alt="" width={28} height={28} />
          <Text fw={600} size="lg">
            Freehold
          </Text>
        </Group>
        <Paper withBorder p="lg" radius="md">
          <Stack gap="md">
            <div>
              <Title order={1}>{title}</Title>
              {intro !== undefined && (
                <Text c="dimmed" size="sm" mt={4}>
                  {intro}
                </Text>
              )}
            </div>
            {children}
          </Stack>
        </Paper>
        {footer !== undefined && (
          <Group justify="center" gap="md">
            {footer}
          </Group>
        )}
      </Stack>
    </Container>
  );
}
