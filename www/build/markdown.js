// Markdown and its sanitiser; bundled into www/vendor/markdown.js.
export { Marked } from 'marked';
export { default as DOMPurify } from 'dompurify';
