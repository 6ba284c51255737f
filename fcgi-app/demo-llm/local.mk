# parts of fcgi-app/demo-llm/
