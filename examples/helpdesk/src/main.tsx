import { createApp } from '@freehold/client';
import { FreeholdProvider } from '@freehold/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import type { Schema } from './freehold.d.ts';
import { HelpDesk } from './help-desk.tsx';

declare module '@freehold/react' {
  interface Register {
    schema: Schema;
  }
}

const { VITE_FREEHOLD_URL: url, VITE_FREEHOLD_ORG: org, VITE_FREEHOLD_CLIENT_ID: clientId } = import.meta.env;
const app = createApp<Schema>({ url, org, clientId, storage: localStorage });

const root = document.getElementById('root');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <FreeholdProvider app={app}>
        <HelpDesk />
      </FreeholdProvider>
    </StrictMode>,
  );
