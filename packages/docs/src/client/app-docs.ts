/**
 * The page of an app about its own API. It knows the code of the app by its address and nothing else: its visitor signs
 * in, or pastes a token, and the page asks for the document as that caller. The token is kept in memory alone.
 */
import { openAppDocs } from './app-docs-page.ts';
import { openThemeButton } from './theme-button.ts';

openThemeButton();
openAppDocs();
