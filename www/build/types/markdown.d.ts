export { Marked, type Tokens } from 'marked';
export { default as DOMPurify, type Config } from 'dompurify';
