// Diagrams; bundled into www/vendor/mermaid.js, a script that the page fetches with the first
// diagram and runs in a sandbox only (js/diagrams.js).
import mermaid from 'mermaid';

globalThis.mermaid = mermaid;
