// The page loads the charts under this name, from its own origin.

export { default } from 'uplot';
