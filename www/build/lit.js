// What the page uses of lit; bundled into www/vendor/lit.js.
export { LitElement, html, svg, nothing } from 'lit';
export { repeat } from 'lit/directives/repeat.js';
export { live } from 'lit/directives/live.js';
