export default {
	title: "A journal",
	url: "https://example.com/",
	author: {
		url: "https://example.com/me/",
	},
};
