import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { queryClient } from './api/query-client.ts';
import { router } from './routes.tsx';
import { SessionDialog } from './shell/session-dialog.tsx';
import { styleNonce } from './shell/style-nonce.ts';
import { theme } from './theme.ts';

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={styleNonce}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <SessionDialog />
      </QueryClientProvider>
    </MantineProvider>
  );
}
