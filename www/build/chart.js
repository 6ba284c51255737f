// Charts of tabular results; bundled into www/vendor/chart.js, which the page
// fetches when the first chart is looked at. Only what it draws is registered.
import { BarController, BarElement, CategoryScale, Chart, Legend, LinearScale,
	LineController, LineElement, PointElement, Tooltip } from 'chart.js';

Chart.register(BarController, BarElement, CategoryScale, Legend, LinearScale,
	LineController, LineElement, PointElement, Tooltip);

export { Chart };
