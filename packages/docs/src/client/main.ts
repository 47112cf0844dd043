/** What a page can do beside being read: other colours, copied code, search. Without it all pages can be read. */
import { addCopyButtons } from './copy.ts';
import { openSearch } from './search.ts';
import { openThemeButton } from './theme-button.ts';

openThemeButton();
addCopyButtons(document);
openSearch();
