import { createTheme } from '@mantine/core';
import { FieldError } from './components/refusal/field-error.tsx';

/** Calm colours, so that the colour of production stands out. */
export const theme = createTheme({
  primaryColor: 'cyan',
  primaryShade: 9,
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '600', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.15rem' } } },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    // By their names: a first visit needs no dialog.
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    // Of all inputs: the library takes the element of the line from the properties.
    InputError: { defaultProps: { component: FieldError } },
    // Its title has the colour of the box, which is too pale on it for some colours.
    Alert: { styles: { title: { color: 'var(--mantine-color-text)' } } },
  },
});
