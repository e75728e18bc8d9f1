"""The door of Attention Atlas: `streamlit run app.py` shows the pages registered in `views.frame`."""

from views import frame

frame.run()
