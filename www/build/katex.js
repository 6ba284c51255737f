// Formulas; bundled into www/vendor/katex.js, which the page fetches when the first
// formula is shown. It is asked for MathML only, so its fonts and style are left out.
export { default as katex } from 'katex';
