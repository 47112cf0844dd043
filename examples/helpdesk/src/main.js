import { jsx as _jsx } from "react/jsx-runtime";
import { createApp } from '@freehold/client';
import { FreeholdProvider } from '@freehold/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { HelpDesk } from './help-desk.tsx';
const { VITE_FREEHOLD_URL: url, VITE_FREEHOLD_ORG: org, VITE_FREEHOLD_CLIENT_ID: clientId } = import.meta.env;
const app = createApp({ url, org, clientId, storage: localStorage });
const root = document.getElementById('root');
if (root !== null)
    createRoot(root).render(_jsx(StrictMode, { children: _jsx(FreeholdProvider, { app: app, children: _jsx(HelpDesk, {}) }) }));
